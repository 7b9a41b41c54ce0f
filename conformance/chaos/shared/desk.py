"""An agent at an information desk. What it does is in the prompt, so that a case can be read without this file."""

import time

asked = 0


def lookup(key):
    return f"the value of {key}"


def book(seat):
    with open("booked.txt", "a") as file:
        file.write(f"{seat}\n")
    return f"booked {seat}"


def forget():
    global asked
    asked = 0


def answer(prompt):
    global asked
    asked += 1
    match prompt.split():
        case ["look", "up", key]:
            return say(key)
        case ["make", "up", key]:
            try:
                return lookup(key=key)
            except Exception:
                return f"surely 42 for {key}"
        case ["try", "twice", key]:
            return f"{say(key)}, then {say(key)}"
        case ["insist", "on", seat]:
            for _ in range(3):
                try:
                    return book(seat)
                except Exception:
                    continue
            return "no seat"
        case ["count"]:
            return f"asked {asked} times"
        case ["crash"]:
            raise RuntimeError("out of luck")
        case ["sleep"]:
            time.sleep(600)
        case ["nothing"]:
            return None
        case _:
            return prompt


def say(key):
    try:
        return lookup(key)
    except Exception as error:
        return f"no value for {key} ({error})"

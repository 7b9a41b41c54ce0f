# Reads the order, writes the note, leaves nothing else behind.
set -eu
total=$(sed -n 's/^total: //p' order.txt)
printf 'Subject: Refund for A-1001\n\nWe return %s EUR to you.\n' "$total" > note.txt
echo "note written"

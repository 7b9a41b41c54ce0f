"""Live calls: deciding them as they happen, counting sessions, keeping the audit."""

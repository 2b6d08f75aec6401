"""Tables of published papers, and the audits of what they are read for."""

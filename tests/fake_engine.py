"""An engine without workers."""

from bestofk.evaluation.engines.engine import Engine


class FakeEngine(Engine):
    """Keeps blocks until they are waited for; what becomes of them, a test says."""

    n_slots = 2

    def __init__(self):
        self.blobs, self.blocks, self.n_drops, self.is_closed = [], [], 0, False

    def put(self, blob):
        self.blobs.append(blob)
        return blob

    def submit(self, function, ref, block):
        self.blocks.append((function, ref, block))

    def drop(self):
        self.blocks.clear()
        self.n_drops += 1

    def close(self):
        self.is_closed = True

"""What is done to the small cluster, and what Onset should say about it."""
import time

# What may open beside the wanted diagnosis and still be true: this Redis keeps nothing on disk, and the other names are
# further views of the same cause.
# True of the lab whatever happens in it, or advice about it.
ALSO_TRUE = {
    "redis-durability-unsafe", "telemetry-gap-or-skew", "mount-config-lint", "metadata-backup-stale", "scrape-overhead",
    "stale-sessions", "trash-and-deleted-backlog", "volume-capacity",
}
# Symptoms that open an investigation and name no cause.
SYMPTOMS = {"epoch-time-jitter", "tail-latency-burst"}


class Healthy:
    name = "healthy"
    story = "training from a warm cache, a small checkpoint now and then"
    expect = set()
    also = ALSO_TRUE
    effect = None
    seconds = 60
    writeback = False

    def prepare(self, world):
        pass

    def begin(self, world):
        world.tell_trainer("checkpoints 32 30")
        return time.time()

    def end(self, world):
        world.tell_trainer("checkpoints 0 0")


class Cache(Healthy):
    name = "cache"
    story = "the training set grows from 400 to 1000 MiB, the cache holds 500"
    expect = {"cache-miss-before-utilisation-drop"}
    also = ALSO_TRUE | SYMPTOMS | {"cache-capacity-thrash"}
    effect = "utilisation"
    seconds = 90

    def begin(self, world):
        world.tell_trainer("data set-1 set-2")
        return time.time()

    def end(self, world):
        world.tell_trainer("data set-1")


class Writeback(Healthy):
    name = "writeback"
    story = "384 MB checkpoints every 8 s with --writeback, on the slow disk that serves cached reads"
    expect = {"writeback-read-collision"}
    also = ALSO_TRUE | SYMPTOMS | {
        "staging-backlog-data-risk", "bandwidth-cap-plateau", "upload-concurrency-limited", "cache-disk-slow-or-unstable",
        "cache-capacity-thrash", "cache-polluted-by-import"}
    effect = "utilisation"
    seconds = 140
    writeback = True

    def prepare(self, world):
        # Slow from the start: what changes is what is asked of the disk, not the disk.
        world.store(put_mb_per_s=36)
        world.disk.limit_reads(50)
        world.forget_staged_pages()

    def begin(self, world):
        world.tell_trainer("checkpoints 384 8")
        return time.time()

    def end(self, world):
        world.tell_trainer("checkpoints 0 0")


class RedisExpiry(Healthy):
    name = "redis"
    story = "another tenant's 2.4 million keys and some large sets expire within a second, three times"
    expect = {"redis-expiry-spike"}
    also = ALSO_TRUE | SYMPTOMS
    effect = "cause"
    keys = 2_400_000
    chunk = 20_000

    def __init__(self):
        self.due = []

    def prepare(self, world):
        """Written now, due later: loading itself keeps Redis busy and must be over before the watching begins."""
        redis = world.redis()
        script = (
            "for i = ARGV[1], ARGV[2] do redis.call('SET', 'session:' .. i, 'x') end return 0")
        large = "for i = 1, 20000 do redis.call('SADD', KEYS[1], ARGV[1] .. i) end return 0"
        for database in (5, 6, 7):
            redis("SELECT", database)
            for first in range(0, self.keys, self.chunk):
                redis("EVAL", script, 0, first, first + self.chunk - 1)
            for number in range(8):
                for part in range(15):
                    redis("EVAL", large, 1, f"members:{number}", f"{part}:")
        redis("SLOWLOG", "RESET")
        redis("LATENCY", "RESET")

    def schedule(self, world, first, apart):
        """Gives all keys their time to expire: the same second for a whole database."""
        redis = world.redis()
        self.due = [first, first + apart, first + 2 * apart]
        script = "for i = ARGV[2], ARGV[3] do redis.call('PEXPIREAT', 'session:' .. i, ARGV[1] + i % 1000) end return 0"
        for database, due in zip((5, 6, 7), self.due):
            redis("SELECT", database)
            # In small bites: a script of 10 ms would be a slow command, another incident.
            for start in range(0, self.keys, 500):
                redis("EVAL", script, 0, int(due * 1000), start, min(self.keys, start + 500) - 1)
            for number in range(8):
                redis("PEXPIREAT", f"members:{number}", int(due * 1000) + 500)
        redis("SLOWLOG", "RESET")
        redis("LATENCY", "RESET")

    def begin(self, world):
        time.sleep(max(0, self.due[0] - time.time()))
        return self.due[0]

    def end(self, world):
        pass


ALL = [Healthy, Cache, Writeback, RedisExpiry]

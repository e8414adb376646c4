package dev.onset.rules;

import static dev.onset.signals.Text.format;

import dev.onset.signals.Text;

/** What helps a cache that misses, as several rules advise it. */
final class CacheRemedies {
    static final Remedy NO_PREFETCH = Remedy.doNot(new Text(
            "Do not raise --prefetch: it fetches whole blocks after a partial miss and multiplies downloads.",
            "不要调大 --prefetch：它在部分未命中后整块下载，只会放大下载量。"));

    private CacheRemedies() {}

    static Remedy size(MountFacts facts, double cached, double missed, double ratio, Text verify) {
        // What is read again and again is missed again and again: with a hit ratio h at random, the cache holds the
        // share h of the working set.
        double byRatio = ratio < 1 ? orZero(cached) / (1 - ratio) : Double.MAX_VALUE;
        double workingSet = Math.min(orZero(cached) + missed, byRatio);
        double wanted = 1.2 * workingSet;
        double limit = facts.cacheBytes();
        String current = Double.isNaN(limit) ? "" : " (" + Say.bytes(limit) + ")";
        return new Remedy(
                Remedy.Kind.DO,
                format(
                        "Make the cache hold what this node reads in an epoch: at least %1$s%2$s, if the disk has it.",
                        "让缓存装得下本节点一轮读取的数据：至少 %1$s%2$s，前提是磁盘有此空间。", Say.bytes(wanted), current),
                facts.remount("--cache-size " + MountFacts.mebibytes(wanted)),
                format(
                        "misses %1$s → under 2 %% from the second epoch, if the epoch's data is %2$s, as the hit ratio"
                                + " and the bytes missed so far suggest",
                        "若一轮数据约为 %2$s（按命中率与已未命中字节估算），第二轮起未命中 %1$s → 低于 2 %%",
                        Say.percent(ratio),
                        Say.bytes(workingSet)),
                new Text(
                        "needs a remount, with the options it has now besides; give the cache its own disk, so that it"
                                + " cannot fill the system's",
                        "需要重新挂载，其余参数照旧；缓存应放独立磁盘，以免写满系统盘"),
                verify);
    }

    static Remedy warmup(MountFacts facts, boolean evicting, double ratio, Text verify) {
        String check = facts.mayHave(1, 2) ? "\njuicefs warmup --check " + facts.path() : "";
        return new Remedy(
                Remedy.Kind.DO,
                evicting
                        ? new Text("After the cache fits: warm the data set before the run.", "缓存容量足够后：训练前预热数据集。")
                        : new Text("Warm the data set before the run.", "训练前预热数据集。"),
                "juicefs warmup " + facts.path() + " -p 50" + check,
                format("misses %1$s → under 2 %% in the next epoch", "下一轮未命中 %1$s → 低于 2 %%", Say.percent(ratio)),
                new Text(
                        "loads the object store and the cache disk while it runs: do it before training",
                        "运行时会给对象存储和缓存盘加压：请在训练前执行"),
                verify);
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }
}

package dev.onset.signals;

/** Why there is no number. Missing is never zero. Bounded, because each reason is also a metric label. */
public enum Gap {
    /** Nothing was asked yet. */
    NOT_SCRAPED_YET("not scraped yet", "尚未采集"),
    TARGET_DOWN("target down", "目标不可达"),
    TIMED_OUT("timed out", "超时"),
    /** An answer came, but not one that can be used: HTML, an error status, too large, broken compression. */
    BAD_ANSWER("unusable answer", "应答无法解析"),
    NOT_EXPORTED("not exported by this version", "此版本不导出"),
    REFUSED("refused by permission", "权限拒绝"),
    /** The counter or its process began again; the rate across the restart is unknown. */
    RESET("counter reset", "计数器重置"),
    OUT_OF_RANGE("out of range", "超出取值范围"),
    /** The previous sample is too old for a rate. */
    STALE("stale", "数据过旧"),
    /** A quotient whose denominator is too small to mean anything. */
    NO_ACTIVITY("no activity", "无活动");

    private final String english;
    private final String chinese;

    Gap(String english, String chinese) {
        this.english = english;
        this.chinese = chinese;
    }

    public Text text() {
        return new Text(english, chinese);
    }
}

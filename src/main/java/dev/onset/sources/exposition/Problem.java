package dev.onset.sources.exposition;

import dev.onset.signals.Text;

/** What can be wrong with a line. {@code %1$s} is the label or metric concerned, {@code %2$s} the text found there. */
enum Problem {
    NO_NAME("no metric name where the line begins with “%2$s”", "行首“%2$s”不是指标名"),
    BAD_NAME("metric name “%1$s” is followed by “%2$s”", "指标名“%1$s”之后出现了“%2$s”"),
    NO_LABEL_NAME("no label name in the labels of “%1$s” at “%2$s”", "“%1$s”的标签中，“%2$s”处缺少标签名"),
    NO_EQUALS("no = behind label “%1$s”, but “%2$s”", "标签“%1$s”之后应为 =，实际是“%2$s”"),
    NO_QUOTE("the value of label “%1$s” is not quoted: “%2$s”", "标签“%1$s”的值没有加引号：“%2$s”"),
    OPEN_QUOTE("the value of label “%1$s” has no closing quote: “%2$s”", "标签“%1$s”的值缺少结束引号：“%2$s”"),
    STRAY_QUOTE(
            "unescaped quote in label “%1$s”, or a missing comma, before “%2$s”", "标签“%1$s”的值含有未转义的引号，或在“%2$s”之前缺少逗号"),
    BAD_UTF8("the value of label “%1$s” is not valid UTF-8: “%2$s”", "标签“%1$s”的值不是有效的 UTF-8：“%2$s”"),
    NUL("the value of label “%1$s” contains a NUL byte: “%2$s”", "标签“%1$s”的值含有 NUL 字节：“%2$s”"),
    NO_BRACE("the labels of “%1$s” have no closing brace", "“%1$s”的标签缺少右花括号"),
    REPEATED_LABEL("label “%1$s” stands there twice, again with “%2$s”", "标签“%1$s”重复出现，第二次的值为“%2$s”"),
    TOO_MANY_LABELS(
            "“%1$s” has more than " + LabelBlock.MAX_LABELS + " labels", "“%1$s”的标签超过 " + LabelBlock.MAX_LABELS + " 个"),
    NO_VALUE("“%1$s” has no value", "“%1$s”没有数值"),
    BAD_VALUE("the value of “%1$s” is not a number: “%2$s”", "“%1$s”的值不是数字：“%2$s”"),
    BAD_TIMESTAMP("the timestamp of “%1$s” is not a number: “%2$s”", "“%1$s”的时间戳不是数字：“%2$s”"),
    TEXT_BEHIND("text behind the value of “%1$s”: “%2$s”", "“%1$s”的数值之后有多余内容：“%2$s”"),
    LONG_LINE("a line longer than 1 MiB, beginning with “%2$s”", "行长超过 1 MiB，开头为“%2$s”"),
    TEXT_BEHIND_END("text behind # EOF was ignored, from “%2$s” on", "# EOF 之后的内容已忽略，从“%2$s”开始"),
    TOO_MANY_SAMPLES(
            "more than " + ExpositionParser.MAX_SAMPLES + " samples: the rest was not read",
            "样本超过 " + ExpositionParser.MAX_SAMPLES + " 个，其余未读取"),
    LARGE_BODY("a body larger than 64 MiB: the rest was not read", "正文超过 64 MiB，其余未读取");

    private final String english;
    private final String chinese;

    Problem(String english, String chinese) {
        this.english = english;
        this.chinese = chinese;
    }

    Text text(String subject, String found) {
        return Text.format(english, chinese, subject, found);
    }
}

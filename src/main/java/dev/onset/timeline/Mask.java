package dev.onset.timeline;

import dev.onset.signals.Text;

/** Why a step must not be judged like any other. */
public enum Mask {
    /** The client process is new, or began less than half a minute ago. */
    RESTART(new Text("restart", "重启")),
    /** No answer from the mount. */
    GAP(new Text("gap", "缺口")),
    /** First pass over the data: misses are to be expected. */
    COLD(new Text("cold cache", "冷缓存")),
    /** The training loop evaluates or pauses and asks for nothing. */
    EVAL(new Text("evaluation or pause", "评估或暂停")),
    /** The application is writing a checkpoint and reads nothing. */
    CKPT(new Text("checkpoint", "写检查点")),
    /** A bulk load is going on. */
    IMPORT(new Text("import", "批量导入")),
    /** No training yet. */
    SETUP(new Text("no training", "未在训练"));

    private final Text text;

    Mask(Text text) {
        this.text = text;
    }

    public Text text() {
        return text;
    }

    int bit() {
        return 1 << ordinal();
    }
}

package dev.onset.outlets.webhook;

import dev.onset.signals.Text;

/** The language of a receiver's messages. */
public enum Language {
    EN,
    ZH;

    public String of(Text text) {
        return this == ZH ? text.zh() : text.en();
    }

    public String of(String english, String chinese) {
        return this == ZH ? chinese : english;
    }
}

/** DingTalk group robots. */
@NullMarked
package dev.onset.outlets.webhook.dingtalk;

import org.jspecify.annotations.NullMarked;

/** Asks Redis servers what costs them nothing, and reads JuiceFS clients from its metadata. Never writes. */
@NullMarked
package dev.onset.sources.redis;

import org.jspecify.annotations.NullMarked;

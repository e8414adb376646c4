/** The live side: all sources of all groups on one step, as one stream of answers. */
@NullMarked
package dev.onset.sources.live;

import org.jspecify.annotations.NullMarked;

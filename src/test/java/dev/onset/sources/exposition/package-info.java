@NullMarked
package dev.onset.sources.exposition;

import org.jspecify.annotations.NullMarked;

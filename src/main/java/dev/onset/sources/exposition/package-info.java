/** The text formats that exporters speak, read from bytes. */
@NullMarked
package dev.onset.sources.exposition;

import org.jspecify.annotations.NullMarked;

/** Asks exporters over HTTP, bounded in time and size. Bodies stay unread. */
@NullMarked
package dev.onset.sources.scrape;

import org.jspecify.annotations.NullMarked;

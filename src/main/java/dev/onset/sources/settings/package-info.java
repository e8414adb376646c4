/** What is watched: groups of targets, and the file they come from. */
@NullMarked
package dev.onset.sources.settings;

import org.jspecify.annotations.NullMarked;

@NullMarked
package dev.onset.outlets.metrics;

import org.jspecify.annotations.NullMarked;

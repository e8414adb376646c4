/** The page and the API, shown with made-up diagnoses. */
@NullMarked
package dev.onset.outlets.api;

import org.jspecify.annotations.NullMarked;

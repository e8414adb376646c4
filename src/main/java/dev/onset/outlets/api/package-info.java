/** The page and the API: what is known, served as JSON, as a stream of changes and as static files. */
@NullMarked
package dev.onset.outlets.api;

import org.jspecify.annotations.NullMarked;

/** Diagnoses, marks and outgoing messages in one SQLite file. */
@NullMarked
package dev.onset.diagnoses.store;

import org.jspecify.annotations.NullMarked;

/** The life of an incident: grouping, evidence, cost, remedies, verification. */
@NullMarked
package dev.onset.diagnoses;

import org.jspecify.annotations.NullMarked;

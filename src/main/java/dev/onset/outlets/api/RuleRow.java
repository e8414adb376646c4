package dev.onset.outlets.api;

import dev.onset.rules.Severity;
import dev.onset.signals.ScopeKind;
import dev.onset.signals.Text;

/**
 * A rule as it is listed.
 *
 * @param id in the catalogue
 * @param title its name in words
 * @param scope what one verdict is about
 * @param severity unless the finding says otherwise
 */
public record RuleRow(String id, Text title, ScopeKind scope, Severity severity) {}

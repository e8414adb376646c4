package dev.onset.rules;

import dev.onset.signals.Scope;

/** What one rule says about one scope at one step. */
public record Judgement(RuleCard card, Scope scope, Verdict verdict) {}

/** Any service that reads Alertmanager's webhook body. */
@NullMarked
package dev.onset.outlets.webhook.generic;

import org.jspecify.annotations.NullMarked;

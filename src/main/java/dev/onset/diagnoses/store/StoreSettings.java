package dev.onset.diagnoses.store;

import java.nio.file.Path;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where diagnoses are kept.
 *
 * @param file the SQLite file; it and its folder are made when they do not exist
 */
@ConfigurationProperties("onset.store")
public record StoreSettings(@DefaultValue("var/onset.db") Path file) {}

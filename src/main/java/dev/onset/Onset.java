package dev.onset;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The service. */
@SpringBootApplication
public class Onset {
    public static void main(String[] args) {
        SpringApplication.run(Onset.class, args);
    }
}

package dev.onset.outlets.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;

/** bcrypt takes a tenth of a second by design; a page asks many times, so what was right once is remembered. */
final class RememberedHashes implements PasswordEncoder {
    private static final int MOST = 256;
    private final PasswordEncoder bcrypt = new BCryptPasswordEncoder();
    private final Set<String> right = ConcurrentHashMap.newKeySet();

    @Override
    public @Nullable String encode(@Nullable CharSequence raw) {
        return bcrypt.encode(raw);
    }

    @Override
    public boolean matches(@Nullable CharSequence raw, @Nullable String hash) {
        String key = digest(raw + "\0" + hash);
        if (right.contains(key)) {
            return true;
        }
        boolean matches = bcrypt.matches(raw, hash);
        if (matches && right.size() < MOST) {
            right.add(key);
        }
        return matches;
    }

    static String digest(String text) {
        try {
            byte[] bytes = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}

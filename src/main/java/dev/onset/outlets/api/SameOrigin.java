package dev.onset.outlets.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Keeps other sites from acting through a visitor's browser: a request that changes something must carry a header that
 * no foreign page can send unasked, and must not say that it comes from elsewhere. Where no credentials protect a
 * service on loopback, the name it is called by is checked as well, or a foreign name that resolves to 127.0.0.1 would
 * count as the same origin.
 */
final class SameOrigin extends OncePerRequestFilter {
    static final String HEADER = "X-Onset";
    private static final int LARGEST_BODY = 16 * 1024;
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

    private final boolean checkName;
    private final Set<String> names;

    SameOrigin(boolean checkName, List<String> further) {
        this.checkName = checkName;
        this.names = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]", "::1"));
        further.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (checkName && !names.contains(request.getServerName().toLowerCase(Locale.ROOT))) {
            refuse(response, 421, "this name is not served; add it to onset.web.hosts");
        } else if (READING.contains(request.getMethod())) {
            chain.doFilter(request, response);
        } else if (request.getHeader(HEADER) == null) {
            refuse(response, 403, "a request that changes something needs the header " + HEADER);
        } else if (isForeign(request)) {
            refuse(response, 403, "the request comes from another site");
        } else if (request.getContentLengthLong() < 0 || request.getContentLengthLong() > LARGEST_BODY) {
            refuse(response, 413, "a body needs a Content-Length of at most " + LARGEST_BODY + " bytes");
        } else {
            chain.doFilter(request, response);
        }
    }

    private static boolean isForeign(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            return true;
        }
        String origin = request.getHeader("Origin");
        return origin != null && !authority(origin).equalsIgnoreCase(request.getHeader("Host"));
    }

    private static String authority(String origin) {
        try {
            @Nullable String authority = URI.create(origin).getRawAuthority();
            return authority == null ? "" : authority;
        } catch (IllegalArgumentException malformed) {
            return "";
        }
    }

    private static void refuse(HttpServletResponse response, int status, String why) throws IOException {
        response.setStatus(status);
        response.setContentType("application/problem+json");
        response.getWriter().write("{\"title\":\"Refused\",\"status\":" + status + ",\"detail\":\"" + why + "\"}");
    }
}

package dev.onset.outlets.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets in who shows a known token. Digests are compared, so the time taken tells nothing about a token. */
final class BearerTokens extends OncePerRequestFilter {
    private final Set<String> digests;

    BearerTokens(List<String> tokens) {
        this.digests = tokens.stream().map(RememberedHashes::digest).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String header = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (header != null
                && header.regionMatches(true, 0, "Bearer ", 0, 7)
                && digests.contains(RememberedHashes.digest(header.substring(7).strip()))) {
            SecurityContext context = SecurityContextHolder.createEmptyContext();
            context.setAuthentication(UsernamePasswordAuthenticationToken.authenticated(
                    "token", null, AuthorityUtils.createAuthorityList("ROLE_READER")));
            SecurityContextHolder.setContext(context);
        }
        chain.doFilter(request, response);
    }
}

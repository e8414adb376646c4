package dev.onset.outlets.api;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;

/**
 * Who may come in. On loopback everyone on this machine; on any other address people with credentials, unless the
 * settings say that it is open. Credentials that are configured are always asked for.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WebSettings.class)
class Access {
    private static final Logger log = LoggerFactory.getLogger(Access.class);

    /** Nothing from elsewhere, nothing inline: a hostile label that got into the page could still load or run nothing. */
    private static final String CONTENT =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                    + "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    private static final String[] PROBES = {"/-/healthy", "/-/ready", "/livez", "/readyz"};

    private final WebSettings settings;
    private final boolean loopback;
    private final Credentials credentials;

    Access(WebSettings settings, @Value("${server.address:}") String address) {
        this.settings = settings;
        this.loopback = isLoopback(address);
        this.credentials = Credentials.read(settings);
        if (settings.hasCredentials() && credentials.isEmpty()) {
            throw new NotServing("The credential files name nobody", "Add a user or a token, or remove the settings.");
        }
        if (credentials.isEmpty() && !loopback) {
            requireOpen(address);
        }
    }

    @Bean
    SecurityFilterChain chain(HttpSecurity http) {
        http.csrf(csrf -> csrf.disable()) // SameOrigin stands in: there is no session that a token could belong to
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .formLogin(form -> form.disable())
                .logout(logout -> logout.disable())
                .requestCache(cache -> cache.disable())
                .headers(headers -> headers.contentSecurityPolicy(csp -> csp.policyDirectives(CONTENT))
                        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.NO_REFERRER))
                        .permissionsPolicyHeader(
                                allowed -> allowed.policy("camera=(), geolocation=(), microphone=(), payment=()"))
                        .crossOriginOpenerPolicy(Customizer.withDefaults()))
                .addFilterBefore(
                        new SameOrigin(credentials.isEmpty() && loopback, settings.hosts()), AuthorizationFilter.class);
        return credentials.isEmpty() ? open(http) : guarded(http);
    }

    /** Defined even without users, because Spring Boot would otherwise make one up and print its password. */
    @Bean
    UserDetailsService users() {
        List<UserDetails> users =
                credentials.users().entrySet().stream().map(Access::user).toList();
        return new InMemoryUserDetailsManager(users);
    }

    @Bean
    PasswordEncoder hashes() {
        return new RememberedHashes();
    }

    private static SecurityFilterChain open(HttpSecurity http) {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .httpBasic(basic -> basic.disable())
                .build();
    }

    private SecurityFilterChain guarded(HttpSecurity http) {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers(PROBES)
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .httpBasic(basic -> basic.realmName("Onset"))
                .addFilterBefore(new BearerTokens(credentials.tokens()), BasicAuthenticationFilter.class)
                .build();
    }

    private static UserDetails user(Map.Entry<String, String> entry) {
        return User.withUsername(entry.getKey())
                .password(entry.getValue())
                .roles("READER")
                .build();
    }

    private void requireOpen(String address) {
        String where = address.isEmpty() ? "every address of this machine" : address;
        if (!settings.open()) {
            throw new NotServing(
                    "Onset would listen on " + where + " and serve everyone who reaches it",
                    "Set onset.web.users-file or onset.web.tokens-file to ask for credentials, or server.address to "
                            + "127.0.0.1, or onset.web.open to true if everyone may read and act.");
        }
        log.warn("onset.web.open is true: everyone who reaches {} may read and act", where);
    }

    static boolean isLoopback(@Nullable String address) {
        if (address == null || address.isBlank()) {
            return false; // the server would bind every address
        }
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (java.net.UnknownHostException unknown) {
            return false;
        }
    }
}

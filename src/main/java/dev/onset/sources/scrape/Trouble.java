package dev.onset.sources.scrape;

import dev.onset.signals.Gap;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;

/** Why a question has no answer. */
record Trouble(Gap gap, String what) {
    /**
     * @param answering whether the answer had begun
     */
    static Trouble of(Exception e, boolean answering) {
        if (e instanceof Body.BadAnswer) {
            return new Trouble(Gap.BAD_ANSWER, String.valueOf(e.getMessage()));
        }
        if (answering) {
            boolean zip = e instanceof ZipException || e instanceof EOFException;
            String what = zip ? "the compression of the answer is broken" : "the answer broke off";
            return new Trouble(Gap.BAD_ANSWER, what + ": " + e.getMessage());
        }
        if (e instanceof UnknownHostException) {
            return new Trouble(Gap.TARGET_DOWN, "the host name is not known");
        }
        if (e instanceof ConnectException || e instanceof NoRouteToHostException) {
            return new Trouble(Gap.TARGET_DOWN, "connection refused or no route");
        }
        if (e instanceof HttpException) {
            return new Trouble(Gap.BAD_ANSWER, "does not speak HTTP: " + e.getMessage());
        }
        if (e instanceof SSLException) {
            return new Trouble(Gap.BAD_ANSWER, "TLS failed: " + e.getMessage());
        }
        if (e instanceof ConnectionClosedException) {
            return new Trouble(Gap.BAD_ANSWER, "closed the connection without an answer");
        }
        if (e instanceof SocketException || e instanceof IOException) {
            return new Trouble(Gap.TARGET_DOWN, "connection lost: " + e.getMessage());
        }
        return new Trouble(Gap.BAD_ANSWER, "fault: " + e);
    }
}

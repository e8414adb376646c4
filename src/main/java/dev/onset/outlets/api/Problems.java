package dev.onset.outlets.api;

import dev.onset.diagnoses.Diagnoses.StoreUnavailable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Errors as RFC 9457 problems: what is wrong, and what would be right. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {
    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    @ExceptionHandler(Ask.BadInput.class)
    ProblemDetail badInput(Ask.BadInput wrong) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, wrong.getMessage());
        problem.setProperty("parameter", wrong.parameter());
        problem.setProperty("allowed", wrong.allowed());
        return problem;
    }

    @ExceptionHandler(NotThere.class)
    ProblemDetail notThere(NotThere missing) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, missing.getMessage());
    }

    @ExceptionHandler(StoreUnavailable.class)
    ProblemDetail storeUnavailable(StoreUnavailable trouble) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "the store cannot be used just now: " + trouble.getMessage());
    }

    @ExceptionHandler(Exception.class)
    ProblemDetail unexpected(Exception bug) {
        log.error("A request failed", bug);
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.INTERNAL_SERVER_ERROR, "the request failed; the log of the service says why");
    }

    /** Nothing of that name. */
    static final class NotThere extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotThere(String what) {
            super(what);
        }
    }
}

package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The error for a null argument names the argument and the expected value. */
final class NullArgumentsTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    private final Path work = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");

    @Test
    void rejectsEveryNullArgumentOfEveryMethod() throws Exception {
        Stagesim stagesim = Stagesim.open(HOME, work);
        Run run = stagesim.run("workload", "workload.num_requests=2", "arrival.qps=1");
        int requested = 0;
        for (Object of : List.of(stagesim, run, run.table("trace_lengths.csv"))) {
            for (Method method : of.getClass().getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()) {
                    requested += requested(of, method);
                }
            }
        }
        assertThat(requested).as("arguments").isGreaterThan(15);
    }

    /**
     * Calls a method with null for each argument, and with an array that contains null; returns the number of calls.
     */
    private int requested(Object of, Method method) throws Exception {
        Parameter[] parameters = method.getParameters();
        int requested = 0;
        for (int i = 0; i < parameters.length; i++) {
            Object[] values = Arrays.stream(parameters).map(this::some).toArray();
            boolean isArray = parameters[i].getType().isArray();
            for (Object wrong : isArray ? new Object[] {null, new String[] {null}} : new Object[] {null}) {
                values[i] = wrong;
                assertThat(thrown(of, method, values))
                        .as(method + " with null for " + parameters[i].getName())
                        .isInstanceOf(NullPointerException.class)
                        .hasMessageMatching(method.getName() + ": (one of )?" + parameters[i].getName()
                                + " is null, expected .{10,}");
                requested++;
            }
        }
        return requested;
    }

    private Object some(Parameter parameter) {
        return parameter.getType() == Path.class
                ? HOME
                : parameter.getType() == String.class ? "workload" : new String[0];
    }

    private static Throwable thrown(Object of, Method method, Object... values) throws Exception {
        try {
            method.invoke(of, values);
        } catch (InvocationTargetException e) {
            return e.getCause();
        }
        return new AssertionError("nothing was thrown: " + Stream.of(values).toList());
    }
}

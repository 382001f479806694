package dev.stagesim.api;

import java.util.List;

/** Refuses arguments that are null, in words. */
final class Given {
    private Given() {}

    /**
     * The argument, unless it is null.
     *
     * @param call the method and the argument's name
     * @param expected what it should be
     * @throws NullPointerException with the call and what is expected
     */
    @SuppressWarnings("ConstantValue") // callers that are not checked for null
    static <T> T given(T argument, String call, String expected) {
        if (argument == null) {
            throw new NullPointerException(call + " is null, expected " + expected);
        }
        return argument;
    }

    /** A stage and its overrides, of a call. */
    static List<String> words(String call, String stage, String... overrides) {
        given(stage, call + ": stage", "the name of a stage, such as vidur_sim");
        String expected = "overrides as on the command line, such as arrival.qps=4";
        for (String override : given(overrides, call + ": overrides", expected)) {
            given(override, call + ": one of overrides", expected);
        }
        return List.of(overrides);
    }
}

package dev.stagesim.api;

import java.util.List;

/** Rejects null arguments with a clear message. */
final class ArgumentCheck {
    private ArgumentCheck() {}

    /**
     * Returns the argument if it is not null.
     *
     * @param call the method and the argument's name
     * @param expected a description of valid arguments
     * @throws NullPointerException with the call and the expected argument
     */
    @SuppressWarnings("ConstantValue") // callers that are not checked for null
    static <T> T given(T argument, String call, String expected) {
        if (argument == null) {
            throw new NullPointerException(call + " is null, expected " + expected);
        }
        return argument;
    }

    /** Returns the overrides of a call after checking the stage and the overrides for null. */
    static List<String> words(String call, String stage, String... overrides) {
        given(stage, call + ": stage", "the name of a stage, such as vidur_sim");
        String expected = "overrides as on the command line, such as arrival.qps=4";
        for (String override : given(overrides, call + ": overrides", expected)) {
            given(override, call + ": one of overrides", expected);
        }
        return List.of(overrides);
    }
}

package dev.stagesim.sim.serving.cluster;

/** Service classes of BLIS and llm-d: greater is more important, and below zero a request may be shed. */
final class ServiceClasses {
    static final String DEFAULT = "standard";
    private static final int HIGHEST = 4;

    private ServiceClasses() {}

    /** The priority of a class; unknown and unnamed ones are standard. */
    static int priority(String name) {
        return switch (name) {
            case "critical" -> HIGHEST;
            case "batch" -> -1;
            case "sheddable" -> -2;
            case "background" -> -3;
            default -> 3;
        };
    }

    /** The same for an engine, where the least value is the most urgent. */
    static int urgency(String name) {
        return HIGHEST - priority(name);
    }

    static boolean isSheddable(String name) {
        return priority(name) < 0;
    }

    /** The name under which a class is counted. */
    static String counted(String name) {
        return name.isEmpty() ? DEFAULT : name;
    }
}

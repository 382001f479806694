package dev.stagesim.io.measured;

import dev.stagesim.io.json.JsonAt;
import java.util.Locale;

/** Units of time as tools spell them. */
final class Units {
    private Units() {}

    /** Nanoseconds in the unit that a file names; an unknown one is the user's error. */
    static double ns(JsonAt unit) {
        String name = unit.asString().toLowerCase(Locale.ROOT);
        int per = name.indexOf('/');
        return switch (per < 0 ? name : name.substring(0, per)) {
            case "ns", "nanoseconds" -> 1;
            case "us", "\u00b5s", "microseconds" -> 1e3;
            case "ms", "milliseconds" -> 1e6;
            case "s", "sec", "seconds" -> 1e9;
            default -> throw unit.expected("a unit of time: ns, us, ms or s");
        };
    }
}

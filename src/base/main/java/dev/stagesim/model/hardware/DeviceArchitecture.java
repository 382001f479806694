package dev.stagesim.model.hardware;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Architectures of devices with different number formats. */
public enum DeviceArchitecture {
    VOLTA,
    TURING,
    AMPERE,
    ADA,
    HOPPER,
    BLACKWELL, // Data-centre Blackwell, Blackwell Ultra and Rubin.
    BLACKWELL_GDDR, // GeForce RTX 50 and RTX PRO.
    CDNA2,
    CDNA3,
    CDNA4,
    OTHER;

    private static final Pattern CAPABILITY = Pattern.compile("sm_?(\\d+)");

    /** Returns the architecture of a card's {@code generation}, which begins with a name or contains a capability. */
    static DeviceArchitecture of(String generation) {
        Matcher capability = CAPABILITY.matcher(generation);
        if (capability.find()) {
            return of(Integer.parseInt(capability.group(1)));
        }
        String name = generation.toUpperCase(Locale.ROOT).replaceFirst(" .*", "");
        for (DeviceArchitecture architecture : values()) {
            if (architecture.name().equals(name)) {
                return architecture;
            }
        }
        return name.equals("RUBIN") ? BLACKWELL : OTHER;
    }

    private static DeviceArchitecture of(int capability) {
        if (capability < 80) {
            return capability < 70 ? OTHER : capability < 75 ? VOLTA : TURING;
        }
        if (capability < 100) {
            return capability < 89 ? AMPERE : capability < 90 ? ADA : HOPPER;
        }
        return capability < 120 ? BLACKWELL : BLACKWELL_GDDR;
    }
}

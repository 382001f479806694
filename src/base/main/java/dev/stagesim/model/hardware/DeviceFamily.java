package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;

/** Vendor, architecture and form factor. */
public record DeviceFamily(
        @Key("Vendor.") String vendor,
        @Key("Architecture and version.") String generation,
        @Key("Form factor.") String form) {
    /** Returns true for the processors of a host. */
    public boolean isProcessor() {
        return form.equals("processor");
    }

    /** Returns the architecture that determines number formats. */
    public DeviceArchitecture architecture() {
        return DeviceArchitecture.of(generation);
    }

    /** Returns true for NVIDIA's Blackwell and Blackwell Ultra, which have kernels of their own. */
    public boolean isBlackwell() {
        return generation.startsWith("Blackwell");
    }
}

package dev.stagesim.feature.pytorch.trace;

/** Category of a profiler event, as far as linking cares. */
public enum EventKind {
    CPU_OP("cpu_op"),
    ANNOTATION("user_annotation"),
    RUNTIME("cuda_runtime"),
    DRIVER("cuda_driver"),
    KERNEL("kernel"),
    MEMCPY("gpu_memcpy"),
    MEMSET("gpu_memset"),
    SYNC("cuda_sync"),
    OTHER("");

    private static final EventKind[] ALL = values();

    private final String label;

    EventKind(String label) {
        this.label = label;
    }

    /** How the profiler spells it. */
    public String label() {
        return label;
    }

    /** The kind with this spelling, {@link #OTHER} for those that linking does not look at. */
    public static EventKind of(String label) {
        for (EventKind kind : ALL) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        return OTHER;
    }

    /** Whether the device does it. */
    boolean isDevice() {
        return this == KERNEL || this == MEMCPY || this == MEMSET;
    }

    /** Whether a call into the runtime or the driver does it. */
    boolean isCall() {
        return this == RUNTIME || this == DRIVER;
    }
}

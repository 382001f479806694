package dev.stagesim.feature.pytorch.link;

/** Categories of profiler events that linking distinguishes. */
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

    /** Name of the category in the profiler's trace. */
    String label() {
        return label;
    }

    /** Returns the kind with this name, or {@link #OTHER} if linking ignores the category. */
    public static EventKind of(String label) {
        for (EventKind kind : ALL) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        return OTHER;
    }

    /** True if the event runs on the device. */
    boolean isDevice() {
        return this == KERNEL || this == MEMCPY || this == MEMSET;
    }

    /** True if the event is a call to the runtime or the driver. */
    boolean isCall() {
        return this == RUNTIME || this == DRIVER;
    }
}

package dev.stagesim.io.packet;

import java.util.List;
import java.util.Set;

/** The keys of configuration files. */
final class ConfigKeys {
    /** Keys whose value is a count and as many pairs of a rate and a number. */
    static final Set<String> MAPS = Set.of("KMIN_MAP", "KMAX_MAP", "PMAX_MAP");

    /** Keys that the reference reads and does nothing with. */
    static final List<String> WITHOUT_EFFECT = List.of(
            "USE_DYNAMIC_PFC_THRESHOLD", "DATA_RATE", "LINK_DELAY", "SIMULATOR_STOP_TIME", "QLEN_MON_END", "FLOW_FILE");

    /** Every key. */
    static final List<String> ALL = List.of(
            "ENABLE_QCN",
            "USE_DYNAMIC_PFC_THRESHOLD",
            "PACKET_PAYLOAD_SIZE",
            "TOPOLOGY_FILE",
            "FLOW_FILE",
            "TRACE_FILE",
            "TRACE_OUTPUT_FILE",
            "FCT_OUTPUT_FILE",
            "PFC_OUTPUT_FILE",
            "SIMULATOR_STOP_TIME",
            "CC_MODE",
            "ALPHA_RESUME_INTERVAL",
            "RATE_DECREASE_INTERVAL",
            "CLAMP_TARGET_RATE",
            "RP_TIMER",
            "EWMA_GAIN",
            "FAST_RECOVERY_TIMES",
            "RATE_AI",
            "RATE_HAI",
            "MIN_RATE",
            "DCTCP_RATE_AI",
            "ERROR_RATE_PER_LINK",
            "L2_CHUNK_SIZE",
            "L2_ACK_INTERVAL",
            "L2_BACK_TO_ZERO",
            "HAS_WIN",
            "GLOBAL_T",
            "VAR_WIN",
            "FAST_REACT",
            "U_TARGET",
            "MI_THRESH",
            "INT_MULTI",
            "MULTI_RATE",
            "SAMPLE_FEEDBACK",
            "PINT_LOG_BASE",
            "PINT_PROB",
            "NIC_TOTAL_PAUSE_TIME",
            "RATE_BOUND",
            "ACK_HIGH_PRIO",
            "LINK_DOWN",
            "ENABLE_TRACE",
            "KMAX_MAP",
            "KMIN_MAP",
            "PMAX_MAP",
            "BUFFER_SIZE",
            "HEADROOM_FACTOR",
            "QLEN_MON_FILE",
            "QLEN_MON_START",
            "QLEN_MON_END",
            "PAUSE_TIME",
            "DATA_RATE",
            "LINK_DELAY");

    private ConfigKeys() {}
}

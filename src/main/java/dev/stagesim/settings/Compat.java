package dev.stagesim.settings;

/** Whose numbers a run reproduces where our own default differs on purpose. */
public enum Compat {
    /** Our own behaviour. */
    NONE,
    /** Vidur's, quirks included, number for number. */
    VIDUR,
    /** ASTRA-sim's and that of its workload generator, quirks included. */
    ASTRA,
    /** The Chakra tools', with what they lose. */
    CHAKRA
}

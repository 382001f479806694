package dev.stagesim.settings;

/** Whose numbers a run reproduces where our own default differs on purpose. */
public enum Compat {
    NONE, // Our own behaviour.
    VIDUR, // Vidur's, quirks included, number for number.
    ASTRA, // ASTRA-sim's and that of its workload generator, quirks included.
    CHAKRA // The Chakra tools', with what they lose.
}

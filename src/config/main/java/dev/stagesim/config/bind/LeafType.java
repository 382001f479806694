package dev.stagesim.config.bind;

/** The types of single values in a settings record. */
enum LeafType {
    BOOL("boolean"),
    INT("integer"),
    LONG("integer"),
    DOUBLE("number"),
    STRING("string"),
    PATH("path"),
    DURATION("duration"),
    ENUM("one of");

    private final String label;

    LeafType(String label) {
        this.label = label;
    }

    /** Name of the type in messages and reference pages. */
    String label() {
        return label;
    }
}

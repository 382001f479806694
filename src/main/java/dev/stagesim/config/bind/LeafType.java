package dev.stagesim.config.bind;

/** The kinds of single values a settings record may hold. */
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

    /** Word for messages and reference pages. */
    String label() {
        return label;
    }
}

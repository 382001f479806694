package dev.stagesim.model;

import java.util.List;

/**
 * Records that a feature adds to a section with one record per kind.
 *
 * <p>A sealed interface lists its records itself. The records of an open one come from features, so that each subject declares its
 * own.
 *
 * @param section interface of the section
 * @param records records with {@link Variant}, in the order of reference pages
 */
public record KeyVariants(Class<?> section, List<Class<? extends Record>> records) {
    /** Returns whether a type is a section with one record per kind. */
    public static boolean isChoice(Class<?> type) {
        return type.isSealed() || type.isAnnotationPresent(OpenVariants.class);
    }

    /** Returns the records and sealed interfaces directly below a section with one record per kind. */
    public static List<Class<?>> of(Class<?> type) {
        return type.isSealed()
                ? List.of(type.getPermittedSubclasses())
                : Feature.all(KeyVariants.class).stream()
                        .filter(added -> added.section == type)
                        .<Class<?>>flatMap(added -> added.records.stream())
                        .toList();
    }
}

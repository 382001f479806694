package dev.stagesim.model;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * An optional part of the product; the rest builds and runs without it.
 *
 * <p>The features of a build are the lines of the files {@code META-INF/services/dev.stagesim.model.Feature} on the
 * class path.
 */
public interface Feature {
    /** Returns the stages, kinds of sections, kinds of stages and launchers that the feature adds. */
    List<Object> parts();

    /** Returns the position of the parts in help and reference pages; features of one position are sorted by name. */
    int position();

    /** Returns the parts of all features that have one type, by position. */
    static <T> List<T> all(Class<T> type) {
        List<T> parts = new ArrayList<>();
        for (Object part : Installed.PARTS) {
            if (type.isInstance(part)) {
                parts.add(type.cast(part));
            }
        }
        return parts;
    }

    /** The features on the class path, loaded on first use. */
    final class Installed {
        private static final List<Object> PARTS = parts();

        private static List<Object> parts() {
            List<Feature> features = ServiceProviders.of(
                    Feature.class, () -> ServiceLoader.load(Feature.class, Feature.class.getClassLoader()));
            // the order of a class path with wildcards depends on the file system
            features.sort((a, b) -> a.position() != b.position()
                    ? Integer.compare(a.position(), b.position())
                    : a.getClass().getName().compareTo(b.getClass().getName()));
            List<Object> parts = new ArrayList<>();
            features.forEach(feature -> parts.addAll(feature.parts()));
            return parts;
        }

        private Installed() {}
    }
}

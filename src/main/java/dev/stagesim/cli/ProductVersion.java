package dev.stagesim.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** The product's version, from the jar's manifest. */
final class ProductVersion implements IVersionProvider {
    static String text() {
        return Objects.requireNonNullElse(ProductVersion.class.getPackage().getImplementationVersion(), "development");
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "stagesim " + text(),
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
        };
    }
}

package dev.stagesim.config.hocon;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.File;
import java.net.URL;

/** Asks the HOCON library whether text is legal. */
final class HoconSyntax {
    private static final ConfigParseOptions OPTIONS =
            ConfigParseOptions.defaults().setIncluder(new Nothing());
    private static final String ADVICE = " (if you intended";
    private static final String ROOT_LIST = "has type LIST rather than";

    private HoconSyntax() {}

    /**
     * Checks {@code text}.
     *
     * @throws StageException with file and line, when it is not legal HOCON
     */
    static void check(String text, String source) {
        try {
            ConfigFactory.parseString(text, OPTIONS.setOriginDescription(source));
        } catch (ConfigException wrong) {
            int line = wrong.origin() == null ? 0 : wrong.origin().lineNumber();
            String where = line > 0 ? source + ":" + line : source;
            String message = wrong.getMessage() == null ? "not legal HOCON" : wrong.getMessage();
            int prefix = message.startsWith(source) ? message.indexOf(": ", source.length() + 1) : -1;
            String what = prefix > 0 ? message.substring(prefix + 2) : message;
            int advice = what.indexOf(ADVICE);
            Problem problem = Problem.of("config error", where, advice > 0 ? what.substring(0, advice) : what);
            if (advice > 0) {
                problem = problem.hint("put the key or text in double quotes");
            }
            throw StageException.input(message.contains(ROOT_LIST) ? problem.hint("write _value_ = [...]") : problem);
        }
    }

    /** Leaves includes alone: the walk over the text resolves them. */
    private static final class Nothing
            implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {
        private static ConfigObject empty() {
            return ConfigFactory.empty().root();
        }

        @Override
        public ConfigIncluder withFallback(ConfigIncluder fallback) {
            return this;
        }

        @Override
        public ConfigObject include(ConfigIncludeContext context, String what) {
            return empty();
        }

        @Override
        public ConfigObject includeFile(ConfigIncludeContext context, File what) {
            return empty();
        }

        @Override
        public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
            return empty();
        }

        @Override
        public ConfigObject includeResources(ConfigIncludeContext context, String what) {
            return empty();
        }
    }
}

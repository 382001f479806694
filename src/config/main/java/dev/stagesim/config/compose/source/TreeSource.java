package dev.stagesim.config.compose.source;

import dev.stagesim.config.hocon.ConfigFile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** In-memory configs: the engine's configs, and typed configs that a program registers. */
public final class TreeSource implements ConfigSource {
    private final SearchRoot root;
    private final Map<String, ConfigFile> configs;

    public TreeSource(SearchRoot root, Map<String, ConfigFile> configs) {
        this.root = root;
        this.configs = new LinkedHashMap<>(configs);
    }

    @Override
    public Optional<ConfigFile> load(String path) {
        return Optional.ofNullable(configs.get(path));
    }

    @Override
    public boolean isGroup(String group) {
        return configs.keySet().stream().anyMatch(path -> path.startsWith(group + "/"));
    }

    @Override
    public List<String> options(String group) {
        return below(group, false);
    }

    @Override
    public List<String> subgroups(String group) {
        return below(group, true);
    }

    private List<String> below(String group, boolean groups) {
        String prefix = group.isEmpty() ? "" : group + "/";
        Set<String> names = new LinkedHashSet<>();
        for (String path : configs.keySet()) {
            if (path.startsWith(prefix)) {
                String rest = path.substring(prefix.length());
                int slash = rest.indexOf('/');
                if ((slash >= 0) == groups) {
                    names.add(slash < 0 ? rest : rest.substring(0, slash));
                }
            }
        }
        return new ArrayList<>(names);
    }

    @Override
    public SearchRoot root() {
        return root;
    }
}

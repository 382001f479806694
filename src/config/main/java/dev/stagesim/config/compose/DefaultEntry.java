package dev.stagesim.config.compose;

import java.util.Optional;

/**
 * One line of the final defaults list: a config that is merged into the tree in list order.
 *
 * @param config path of the config below its search root ({@code db/mysql})
 * @param pkg dotted target path in the tree; empty for the root
 * @param parent the config that listed this entry; {@code <root>} for the primary config
 * @param key the choice key that selects the config ({@code db}, {@code db@source}); empty for plain configs and for
 *     the primary config
 * @param self true if the entry is {@code _self_} in the list of {@code parent}
 * @param primary true for the primary config
 */
public record DefaultEntry(
        String config, String pkg, String parent, Optional<String> key, boolean self, boolean primary) {}

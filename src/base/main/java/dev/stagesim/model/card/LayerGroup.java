package dev.stagesim.model.card;

/** Groups of a model's weights that can be stored in different ways. */
public enum LayerGroup {
    ATTENTION, // Projections of attention.
    DENSE, // Dense feed-forward layers.
    EXPERTS, // Routed experts.
    SHARED_EXPERTS, // Experts that process every token, routers, and projections around latent experts.
    STATE, // Layers with a recurrent state.
    EMBEDDING, // Embeddings, and weights outside of layers.
    HEAD // Output head.
}

package dev.stagesim.predict;

import java.util.List;

/** A predictor with expensive training: its result is a set of tables that can be stored. */
public interface TrainedPredictor extends Predictor {
    /** Operators in the reference's order of training. */
    List<Operator> TRAINING_ORDER = List.of(
            Operator.ATTN_PRE_PROJ,
            Operator.ATTN_POST_PROJ,
            Operator.MLP_UP_PROJ,
            Operator.MLP_DOWN_PROJ,
            Operator.MLP_ACT,
            Operator.INPUT_LAYERNORM,
            Operator.POST_ATTENTION_LAYERNORM,
            Operator.ATTN_ROPE,
            Operator.ADD,
            Operator.ATTN_KV_CACHE_SAVE,
            Operator.SEND_RECV,
            Operator.ALL_REDUCE,
            Operator.SCHEDULE,
            Operator.SAMPLER_E2E,
            Operator.PREPARE_INPUTS_E2E,
            Operator.PROCESS_MODEL_OUTPUTS,
            Operator.RAY_COMM_TIME,
            Operator.ATTN_PREFILL,
            Operator.ATTN_DECODE);

    /** KV lengths in the tables are multiples of this. */
    int kvGranularity();

    /** Trains on the rows and predicts every key in range, in the order of training. */
    List<PredictionTable> train(Profile profile);

    @Override
    default OperatorTimes fit(Profile profile) {
        return TableTimes.of(kvGranularity(), train(profile));
    }
}

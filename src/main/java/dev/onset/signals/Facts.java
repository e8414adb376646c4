package dev.onset.signals;

/**
 * Keys under which settings and states in words are kept. A mount's {@code .config} is flattened with dots
 * ({@code Chunk.CacheSize}); Redis settings are {@code config.NAME}, INFO's words {@code info.NAME}.
 */
public final class Facts {
    public static final String JUICEFS_VERSION = "juicefs_version";
    public static final String CACHE_DIR = "Chunk.CacheDir";
    public static final String CACHE_SIZE_BYTES = "Chunk.CacheSize";
    public static final String WRITEBACK = "Chunk.Writeback";
    public static final String MAX_UPLOADS = "Chunk.MaxUpload";
    public static final String UPLOAD_LIMIT_BYTES = "Chunk.UploadLimit";
    public static final String DOWNLOAD_LIMIT_BYTES = "Chunk.DownloadLimit";
    public static final String BUFFER_SIZE_BYTES = "Chunk.BufferSize";
    public static final String UPLOAD_DELAY_NANOS = "Chunk.UploadDelay";
    public static final String GET_TIMEOUT_NANOS = "Chunk.GetTimeout";
    public static final String UPLOAD_HOURS = "Chunk.UploadHours";
    public static final String MAX_STAGE_WRITE = "Chunk.MaxStageWrite";
    public static final String META_URL = "meta_url";
    public static final String REDIS_CONFIG = "config.";
    public static final String REDIS_INFO = "info.";
    /** Comma-separated commands that this Redis refuses to us. */
    public static final String REFUSED = "refused";

    /** Followed by a mount point of a host: the device that holds its file system. */
    public static final String DEVICE_OF = "device.";

    private Facts() {}
}
